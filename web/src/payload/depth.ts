/** Whether a JSON text has more than `most` brackets open at once; what stands in strings does not count. */
export function isDeeper(text: string, most: number): boolean {
  let open = 0;
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') {
      open += 1;
    } else if (token === ']' || token === '}') {
      open -= 1;
    }
    if (open > most) {
      return true;
    }
  }
  return false;
}
