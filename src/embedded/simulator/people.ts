import { createHash } from 'node:crypto';

export interface SimUser {
  id: number;
  /** the name that the control API knows the user by */
  name: string;
  firstName: string;
  username: string | null;
  languageCode: string | null;
  /** a bot may not write to someone who never started it */
  started: boolean;
  blocked: boolean;
}

/** A range of users that exist only as counters, so that 100,000 of them cost nothing until one is looked at. */
export interface Crowd {
  from: number;
  count: number;
  prefix: string | null;
  received: Uint32Array;
}

/** Past 32 bits, like ids of real users: a column that is too narrow shows in a test and not in production. */
const NAMED_IDS_FROM = 5_000_000_000;
const NAMED_IDS_COUNT = 4_000_000_000;
const CROWD_IDS_FROM = 1_000_000_000;

export class People {
  private readonly users = new Map<number, SimUser>();
  private readonly crowds: Crowd[] = [];

  /** The user of that name, made on first sight. */
  named(name: string): SimUser {
    const id = this.idOf(name);
    const known = this.users.get(id);
    if (known) return known;
    const user: SimUser = {
      id,
      name,
      firstName: name,
      username: null,
      languageCode: null,
      started: this.crowdOf(id) !== undefined,
      blocked: false,
    };
    this.users.set(id, user);
    return user;
  }

  find(id: number): SimUser | undefined {
    return this.users.get(id);
  }

  /** The crowd that the id belongs to, unless that member has become a user of their own. */
  uncountedCrowdOf(id: number): Crowd | undefined {
    return this.users.has(id) ? undefined : this.crowdOf(id);
  }

  addCrowd(count: number, from?: number, prefix?: string): Crowd {
    const last = this.crowds.at(-1);
    const start = from ?? (last ? last.from + last.count : CROWD_IDS_FROM);
    const crowd = { from: start, count, prefix: prefix ?? null, received: new Uint32Array(count) };
    this.crowds.push(crowd);
    return crowd;
  }

  all(): Iterable<SimUser> {
    return this.users.values();
  }

  allCrowds(): readonly Crowd[] {
    return this.crowds;
  }

  private crowdOf(id: number): Crowd | undefined {
    return this.crowds.find((crowd) => id >= crowd.from && id < crowd.from + crowd.count);
  }

  private idOf(name: string): number {
    if (/^\d{1,15}$/.test(name)) return Number(name);
    const member = this.idInCrowd(name);
    if (member !== undefined) return member;
    const hash = createHash('sha256').update(name).digest().readUIntBE(0, 6);
    let id = NAMED_IDS_FROM + (hash % NAMED_IDS_COUNT);
    while (this.users.has(id) && this.users.get(id)?.name !== name) id += 1;
    return id;
  }

  /** Members of a crowd with prefix `p` are called p1, p2, … */
  private idInCrowd(name: string): number | undefined {
    for (const { prefix, from, count } of this.crowds) {
      if (prefix === null || !name.startsWith(prefix)) continue;
      const rest = name.slice(prefix.length);
      const n = /^[1-9]\d*$/.test(rest) ? Number(rest) : 0;
      if (n >= 1 && n <= count) return from + n - 1;
    }
    return undefined;
  }
}
