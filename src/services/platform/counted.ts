/** A number of things in words: 1 answer, 2 answers, 0 answers. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
