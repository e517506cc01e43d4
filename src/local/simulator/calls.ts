interface Call {
  method: string;
  at: string;
  params: Record<string, unknown>;
}

const MAX_CALLS = 1000;

/** Records a bot's API calls for tests; never its token. */
export class CallLog {
  private readonly counts = new Map<string, number>();
  private recent: Call[] = [];

  record(method: string, params: Record<string, unknown>): void {
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1);
    this.recent.push({ method, at: new Date().toISOString(), params });
    if (this.recent.length >= 2 * MAX_CALLS) this.recent = this.recent.slice(-MAX_CALLS);
  }

  view(method: string | null): { counts: Record<string, number>; calls: Call[] } {
    const chosen = (each: string) => method === null || each === method;
    return {
      counts: Object.fromEntries([...this.counts].filter(([each]) => chosen(each))),
      calls: this.recent.slice(-MAX_CALLS).filter((call) => chosen(call.method)),
    };
  }
}
