import { DOMParser, parseHTML } from 'linkedom';
import { unreadable } from './extracted-file.js';

/** What is used of a node of linkedom, whose own types need those of a browser. */
export interface MarkupNode {
  readonly nodeType: number;
  /** In upper case for HTML, as written (with its prefix) for XML. */
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly childNodes: readonly MarkupNode[];
  readonly parentNode: MarkupNode | null;
}

export interface MarkupElement extends MarkupNode {
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  querySelectorAll(selector: string): Iterable<MarkupElement> & { readonly length: number };
  querySelector(selector: string): MarkupElement | null;
  matches(selector: string): boolean;
  remove(): void;
}

export const TEXT_NODE = 3;
export const CDATA_NODE = 4;
export const ELEMENT_NODE = 1;

export function isElement(node: MarkupNode): node is MarkupElement {
  return node.nodeType === ELEMENT_NODE;
}

/** A page or a piece of one. Nothing is fetched and no script runs. */
export function parsePage(html: string): MarkupElement {
  refuseDeepNesting(html);
  return parseHTML(html).document as unknown as MarkupElement;
}

/** A document type is passed over, and with it every entity that it declares. */
export function parseXml(xml: string): MarkupElement {
  refuseDeepNesting(xml);
  return new DOMParser().parseFromString(xml, 'text/xml') as unknown as MarkupElement;
}

/** No writer nests so deeply, and the time for a tree grows with the square of its depth. */
const MAX_NESTING = 5_000;
const TAG = /<(\/?)([a-z][\w:-]*)(?:[^<>]*?(\/?))>/gi;
/** HTML's elements that are not closed, or need not be. */
const UNCLOSED =
  /^(area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|td|th|tr|thead|tbody|tfoot|colgroup|caption|option|optgroup|rt|rp)$/i;

/** By its tags, before a tree is made of them. Throws NotExtractable. */
function refuseDeepNesting(markup: string): void {
  let depth = 0;
  for (const [, closing, name, selfClosing] of markup.matchAll(TAG)) {
    if (selfClosing || UNCLOSED.test(name!)) continue;
    depth = closing ? Math.max(0, depth - 1) : depth + 1;
    if (depth > MAX_NESTING) throw unreadable('nesting');
  }
}

/** All elements below, in the order of the document. */
export function* elementsOf(root: MarkupElement, name: string): Iterable<MarkupElement> {
  // a loop, because a hostile document is deeper than the stack
  const stack: MarkupNode[] = [root];
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (isElement(node) && node.nodeName === name) yield node;
    for (const child of [...node.childNodes].reverse()) stack.push(child);
  }
}
