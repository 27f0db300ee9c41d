import type { MarkupElement } from './markup.js';

/** A `<main>` with less of the page's text than this is not where its text is. */
const MAIN_SHARE = 0.25;
/** Names that makers of pages give to what is on each of them. */
const FURNITURE =
  /(^|[\s_-])(nav|navbar|navigation|menu|sidebar|breadcrumbs?|footer|cookies?|toolbar|pagination)([\s_-]|$)/i;
/** Such an element is furniture when this share of its text is links. */
const LINK_SHARE = 0.5;

/** The part of a page that is about something: without the furniture that all pages of its site share. */
export function mainContent(page: MarkupElement): MarkupElement {
  const body = page.querySelector('body') ?? page;
  const length = textLength(body);
  const mains = [...body.querySelectorAll('main,[role=main]')];
  if (mains.length === 1 && textLength(mains[0]!) >= length * MAIN_SHARE) return mains[0]!;
  for (const element of [...body.querySelectorAll('footer,header,aside,[role=contentinfo],[role=banner]')])
    if (isOfPage(element) && element.querySelector('h1,h2') === null) element.remove();
  for (const element of [...body.querySelectorAll('div,ul,ol,section,table,aside')]) {
    const names = `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;
    if (FURNITURE.test(names) && linkShare(element) > LINK_SHARE) element.remove();
  }
  return body;
}

/** A header or footer of an article belongs to it. */
function isOfPage(element: MarkupElement): boolean {
  for (let up = element.parentNode; up !== null; up = up.parentNode)
    if (up.nodeName === 'ARTICLE' || up.nodeName === 'MAIN') return false;
  return true;
}

function linkShare(element: MarkupElement): number {
  let linked = 0;
  for (const link of element.querySelectorAll('a')) linked += textLength(link);
  const all = textLength(element);
  return all === 0 ? 1 : linked / all;
}

function textLength(element: MarkupElement): number {
  return (element.textContent ?? '').replace(/\s+/g, ' ').length;
}
