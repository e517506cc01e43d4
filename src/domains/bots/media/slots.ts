/** What a process may upload at once. An upload holds some hundred kilobytes, whatever the size of its file. */
const TOTAL = 8;
/** Keeps slots free for other projects while one project's media servers respond slowly. */
const PER_OWNER = 2;

export class UploadSlots {
  private readonly held = new Map<string, number>();
  private readonly waiting: { owner: string; start: () => void }[] = [];
  private inUse = 0;

  constructor(
    private readonly total = TOTAL,
    private readonly perOwner = PER_OWNER,
  ) {}

  /** Runs `work` in a slot; waits for one if necessary, in order of arrival among owners with free slots. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await this.acquire(owner);
    try {
      return await work();
    } finally {
      this.release(owner);
    }
  }

  private acquire(owner: string): Promise<void> {
    if (this.hasRoom(owner)) {
      this.take(owner);
      return Promise.resolve();
    }
    return new Promise((start) => this.waiting.push({ owner, start }));
  }

  private release(owner: string): void {
    this.inUse -= 1;
    const left = this.heldBy(owner) - 1;
    if (left === 0) this.held.delete(owner);
    else this.held.set(owner, left);
    const next = this.waiting.findIndex((each) => this.hasRoom(each.owner));
    if (next < 0) return;
    const [started] = this.waiting.splice(next, 1);
    if (!started) return;
    this.take(started.owner);
    started.start();
  }

  private take(owner: string): void {
    this.inUse += 1;
    this.held.set(owner, this.heldBy(owner) + 1);
  }

  private hasRoom(owner: string): boolean {
    return this.inUse < this.total && this.heldBy(owner) < this.perOwner;
  }

  private heldBy(owner: string): number {
    return this.held.get(owner) ?? 0;
  }
}

/** Shared by all bots of the process. */
export const uploadSlots = new UploadSlots();
