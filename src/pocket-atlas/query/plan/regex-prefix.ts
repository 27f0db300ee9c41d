/** The text that every match of a pattern begins with, when the pattern says so (`^abc.*`); undefined when it does not. */
export function literalPrefix(pattern: string): string | undefined {
  // an alternative may begin otherwise; so it is not looked for where there is any
  if (!pattern.startsWith('^') || pattern.includes('|')) return undefined;
  let prefix = '';
  for (let at = 1; at < pattern.length; ) {
    const escaped = pattern[at] === '\\';
    const char = escaped ? pattern[at + 1] : pattern[at];
    if (char === undefined || (escaped ? /[a-zA-Z0-9]/.test(char) : /[.^$*+?()[\]{}#\s]/.test(char))) break;
    const next = at + (escaped ? 2 : 1);
    // a quantifier may take the character away
    if (/[*?{]/.test(pattern[next] ?? '')) break;
    // half of a surrogate pair is no text to compare by
    if (/[\ud800-\udfff]/.test(char)) break;
    prefix += char;
    at = next;
  }
  return prefix === '' ? undefined : prefix;
}
