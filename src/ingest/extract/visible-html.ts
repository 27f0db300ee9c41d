import type { MarkupElement } from './markup.js';

/** Never shown as text, or not what a reader came for. */
const DROPPED =
  'script,style,template,noscript,iframe,object,embed,canvas,svg,audio,video,head>meta,head>link,select,option,datalist,dialog:not([open]),nav,[role=navigation],[hidden],[aria-hidden=true],input[type=hidden]';

/** Styles by which a text is there and not to be seen. */
const HIDING =
  /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*0*(\.0+)?(?=\s*(!|;|$))|font-size\s*:\s*((0+(\.0*)?|\.0+)(px|pt|r?em|%)?|(0?\.\d+|1)px)(?=\s*(!|;|$))|text-indent\s*:\s*-\d{3,}|(left|top|right|margin-left)\s*:\s*-\d{4,}|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(50|100)%|transform\s*:\s*scale\(\s*0\s*\))/i;

/** Of a page's own style sheets; pages have hundreds at most, and each is matched against the whole page. */
const MAX_HIDING_RULES = 200;

/** Takes out of a page what a visitor does not see: scripts, navigation, hidden text. */
export function removeInvisible(page: MarkupElement): void {
  for (const selector of hidingSelectors(page)) {
    try {
      removeAll(page.querySelectorAll(selector));
    } catch {
      // a selector that only browsers know
    }
  }
  removeAll(page.querySelectorAll(DROPPED));
  removeAll([...page.querySelectorAll('[style]')].filter((one) => HIDING.test(one.getAttribute('style')!)));
}

function removeAll(elements: Iterable<MarkupElement>): void {
  for (const element of [...elements]) element.remove();
}

/** Selectors of `<style>` rules that hide without a condition: neither for print only nor while something is hovered. */
function hidingSelectors(page: MarkupElement): string[] {
  const css = [...page.querySelectorAll('style')].map((style) => style.textContent ?? '').join('\n');
  if (css.length > 1_000_000) return [];
  const selectors: string[] = [];
  for (const [, list, body] of withoutAtRules(css).matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (!HIDING.test(body!)) continue;
    for (const selector of list!.split(',')) {
      const trimmed = selector.trim();
      if (trimmed === '' || /[:@]|^(html|body|\*)$/.test(trimmed)) continue;
      selectors.push(trimmed);
      if (selectors.length >= MAX_HIDING_RULES) return selectors;
    }
  }
  return selectors;
}

function withoutAtRules(css: string): string {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, '');
  let kept = '';
  let depth = 0;
  let at = -1;
  for (let i = 0; i < plain.length; i++) {
    const char = plain[i];
    if (char === '@' && depth === 0 && at < 0) at = i;
    if (char === '{') depth++;
    if (char === '}') depth = Math.max(0, depth - 1);
    if (at < 0) kept += char;
    else if (depth === 0 && (char === '}' || char === ';')) at = -1;
  }
  return kept;
}
