/** A text and where its caret was. */
export interface Moment {
  text: string;
  from: number;
  to: number;
}

/** Keys that follow each other within this time are undone together. */
const TOGETHER_MS = 800;
const MOST = 200;

/**
 * What undo goes back to. A field whose nodes are replaced by a script has to remember it itself: the browser's own memory is
 * of nodes that are gone.
 */
export class TextHistory {
  private past: Moment[] = [];
  private future: Moment[] = [];
  private lastTyped = 0;

  constructor(private present: Moment) {}

  /** `isTyped`: a key among others, and no step of its own. */
  record(next: Moment, isTyped: boolean, now = Date.now()): void {
    if (next.text === this.present.text) {
      this.present = next;
      return;
    }
    const isTogether = isTyped && now - this.lastTyped < TOGETHER_MS;
    if (!isTogether) this.past = [...this.past, this.present].slice(-MOST);
    this.lastTyped = isTyped ? now : 0;
    this.future = [];
    this.present = next;
  }

  undo(): Moment | null {
    return this.go(this.past, this.future);
  }

  redo(): Moment | null {
    return this.go(this.future, this.past);
  }

  private go(there: Moment[], back: Moment[]): Moment | null {
    const moment = there.pop();
    if (!moment) return null;
    back.push(this.present);
    this.present = moment;
    this.lastTyped = 0;
    return moment;
  }
}
