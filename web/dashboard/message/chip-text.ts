import { chipPieces, type FoundPlaceholder } from './placeholders';

/** How a chip looks: what it says, and whether its name has a value. */
export type ChipLook = (placeholder: FoundPlaceholder) => { text: string; isKnown: boolean };

/**
 * The text of a message in an editable element: text nodes, a chip for each placeholder, and a line break at the end, without
 * which browsers show neither an empty last line nor a caret behind a chip. Outside, it is the string that the API takes:
 * every position is an offset in that string, where a chip is as long as its braces.
 */
export function showText(field: HTMLElement, text: string, look: ChipLook | null): void {
  const pieces = look ? chipPieces(text) : [text];
  const nodes: Node[] = [];
  for (const [index, piece] of pieces.entries()) {
    const isChip = typeof piece !== 'string';
    if (isChip && !(nodes.at(-1) instanceof Text)) nodes.push(document.createTextNode(SPACER));
    if (isChip && look) nodes.push(chipOf(piece, look));
    if (!isChip) nodes.push(document.createTextNode(spaced(piece, index > 0, index + 1 < pieces.length)));
  }
  if (nodes.at(-1) instanceof HTMLElement) nodes.push(document.createTextNode(SPACER));
  field.replaceChildren(...nodes, document.createElement('br'));
}

/** Beside a chip that has no text in its line there: a place for the caret. No width, and no part of the text. */
const SPACER = '\uFEFF';
const spaced = (text: string, isAfterChip: boolean, isBeforeChip: boolean) =>
  (isAfterChip && text.startsWith('\n') ? SPACER : '') +
  text +
  (isBeforeChip && text.endsWith('\n') ? SPACER : '');
const withoutSpacers = (data: string) => data.replaceAll(SPACER, '');

function chipOf(placeholder: FoundPlaceholder, look: ChipLook): HTMLElement {
  const chip = document.createElement('span');
  chip.contentEditable = 'false';
  chip.dataset['source'] = placeholder.source;
  lookOf(chip, look(placeholder));
  return chip;
}

function lookOf(chip: HTMLElement, { text, isKnown }: ReturnType<ChipLook>): void {
  if (chip.textContent !== text) chip.textContent = text;
  chip.title = chip.dataset['source'] ?? '';
  chip.classList.add('chip');
  chip.classList.toggle('personal', isKnown);
  chip.classList.toggle('unknown', !isKnown);
}

const chipsOf = (field: HTMLElement) => [...field.querySelectorAll<HTMLElement>('[data-source]')];

/** After a change of the language, or of the names that have values. */
export function refreshChips(field: HTMLElement, look: ChipLook): void {
  for (const chip of chipsOf(field)) {
    const [piece] = chipPieces(chip.dataset['source'] ?? '');
    if (piece && typeof piece !== 'string') lookOf(chip, look(piece));
  }
}

export function textOf(field: HTMLElement): string {
  return [...field.childNodes].map((node) => sourceOf(node, field)).join('');
}

function sourceOf(node: Node, field: HTMLElement): string {
  if (node instanceof Text) return withoutSpacers(node.data);
  if (!(node instanceof HTMLElement)) return '';
  if (node.dataset['source'] !== undefined) return node.dataset['source'];
  if (node.tagName === 'BR') return node === field.lastChild ? '' : '\n';
  return [...node.childNodes].map((child) => sourceOf(child, field)).join('');
}

/** Whether typing has left the element as `showText` makes it: no placeholder in a text, no element of the browser's own. */
export function isShown(field: HTMLElement, text: string, look: ChipLook | null): boolean {
  const expected = look ? chipPieces(text).filter((piece) => typeof piece !== 'string') : [];
  const chips = chipsOf(field);
  return (
    field.lastElementChild?.tagName === 'BR' &&
    field.lastElementChild === field.lastChild &&
    field.childElementCount === chips.length + 1 &&
    chips.length === expected.length &&
    chips.every(
      (chip, index) =>
        chip.dataset['source'] === expected[index]?.source &&
        dataOf(chip.previousSibling).at(-1) !== '\n' &&
        dataOf(chip.nextSibling)[0] !== '\n',
    )
  );
}

/** Where there is no text, as if a line ended there: it needs a spacer too. */
const dataOf = (node: Node | null) => (node instanceof Text && node.data) || '\n';

export interface Span {
  from: number;
  to: number;
}

/** What is selected in the element; null if the selection is elsewhere. */
export function selectedSpan(field: HTMLElement): Span | null {
  const selection = getSelection();
  if (!selection || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!field.contains(range.startContainer) || !field.contains(range.endContainer)) return null;
  return {
    from: offsetOf(field, range.startContainer, range.startOffset),
    to: offsetOf(field, range.endContainer, range.endOffset),
  };
}

function offsetOf(field: HTMLElement, container: Node, offset: number): number {
  const chip = (container instanceof Element ? container : container.parentElement)?.closest('[data-source]');
  // Inside a chip: before it at its beginning, otherwise behind it.
  if (chip && field.contains(chip)) return offsetBefore(field, offset === 0 ? chip : chip.nextSibling);
  if (container instanceof Text) {
    return offsetBefore(field, container) + withoutSpacers(container.data.slice(0, offset)).length;
  }
  return offsetBefore(field, container.childNodes[offset] ?? null, container);
}

/** The length of all that stands before a node, or before the end of a parent. */
function offsetBefore(field: HTMLElement, wanted: Node | null, parent: Node = field): number {
  let length = 0;
  const walk = (node: Node): boolean => {
    if (node === wanted) return true;
    const isPart =
      node instanceof HTMLElement && node.dataset['source'] === undefined && node.tagName !== 'BR';
    if (!isPart) length += sourceOf(node, field).length;
    else if ([...node.childNodes].some(walk)) return true;
    return wanted === null && node === parent;
  };
  [...field.childNodes].some(walk);
  return length;
}

/** Whether the next thing that a key would delete is a spacer, which would come back. */
export function isBesideSpacer(side: 'before' | 'after'): boolean {
  const { anchorNode: node, anchorOffset: offset = 0 } = getSelection() ?? {};
  return node instanceof Text && node.data[side === 'before' ? offset - 1 : offset] === SPACER;
}

export function select(field: HTMLElement, { from, to }: Span): void {
  const [start, end] = [pointAt(field, from), pointAt(field, to)];
  getSelection()?.setBaseAndExtent(start.node, start.offset, end.node, end.offset);
}

function pointAt(field: HTMLElement, offset: number): { node: Node; offset: number } {
  let rest = offset;
  for (const [index, node] of [...field.childNodes].entries()) {
    const { length } = sourceOf(node, field);
    if (node instanceof Text && rest <= length) {
      return { node, offset: rest + (node.data.startsWith(SPACER) ? SPACER.length : 0) };
    }
    if (rest === 0 || (node instanceof Element && node.tagName === 'BR')) {
      return { node: field, offset: index };
    }
    rest -= length;
  }
  return { node: field, offset: field.childNodes.length };
}

/** The chips with their places in the text. */
export function placedChips(field: HTMLElement): (Span & { chip: HTMLElement })[] {
  const found: (Span & { chip: HTMLElement })[] = [];
  let from = 0;
  for (const node of field.childNodes) {
    const to = from + sourceOf(node, field).length;
    if (node instanceof HTMLElement && node.dataset['source'] !== undefined) {
      found.push({ chip: node, from, to });
    }
    from = to;
  }
  return found;
}

/** The chip that begins at an offset, or ends there. */
export function chipAt(
  text: string,
  offset: number,
  side: 'before' | 'after',
): (Span & FoundPlaceholder) | null {
  let at = 0;
  for (const piece of chipPieces(text)) {
    const length = typeof piece === 'string' ? piece.length : piece.source.length;
    const isIt = side === 'after' ? at === offset : at + length === offset;
    if (typeof piece !== 'string' && isIt) return { ...piece, from: at, to: at + length };
    at += length;
  }
  return null;
}
