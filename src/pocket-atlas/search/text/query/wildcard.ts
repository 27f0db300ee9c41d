/** A pattern with `*` (any run) and `?` (any one character), `\` before either to mean itself. */
export function compileWildcard(pattern: string): { prefix: string; pattern: RegExp } {
  let source = '';
  let prefix = '';
  let literal = true;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!;
    if (character === '*' || character === '?') {
      literal = false;
      // runs of stars are one star: the expression stays linear
      if (character === '?') source += '.';
      else if (!source.endsWith('.*')) source += '.*';
      continue;
    }
    const meant = character === '\\' && i + 1 < pattern.length ? pattern[++i]! : character;
    source += meant.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    if (literal) prefix += meant;
  }
  // a prefix that ends inside a surrogate pair would match no byte range
  return { prefix: prefix.isWellFormed() ? prefix : '', pattern: new RegExp(`^${source}$`, 'su') };
}
