/** Where a text stands in JSON: from its opening quote to behind its closing one. */
export interface TextPlace {
  readonly from: number;
  readonly to: number;
}

/**
 * The texts of a JSON text, in order; what is not JSON ends where it ends. By hand: a regular expression that allows for
 * `\"` keeps a stack as long as the text, and overflows on one of some megabytes.
 */
export function* textsOf(json: string): Generator<TextPlace, void> {
  for (let from = json.indexOf('"'); from !== -1; ) {
    const to = endOf(json, from);
    yield { from, to };
    from = json.indexOf('"', to);
  }
}

/** What stands between its texts, in order. */
export function* betweenTexts(json: string): Generator<string, void> {
  let at = 0;
  for (const { from, to } of textsOf(json)) {
    yield json.slice(at, from);
    at = to;
  }
  yield json.slice(at);
}

/** Behind the quote that closes the text which `from` opens: the first behind an even number of backslashes. */
function endOf(json: string, from: number): number {
  for (let quote = json.indexOf('"', from + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (json[before] === '\\') {
      before -= 1;
    }
    if ((quote - 1 - before) % 2 === 0) {
      return quote + 1;
    }
  }
  return json.length;
}
