import { createHash } from 'node:crypto';

export interface SimUser {
  id: number;
  /** The user's name in the control API. */
  name: string;
  firstName: string;
  username: string | null;
  languageCode: string | null;
  /** A bot may only write to users who have started it. */
  started: boolean;
  blocked: boolean;
}

/** A range of users stored only as counters, so that 100,000 of them are cheap. */
interface Crowd {
  from: number;
  count: number;
  prefix: string | null;
  received: Uint32Array;
}

/** Above 32 bits, like real user ids, so that tests reveal a column that is too narrow. */
const NAMED_IDS_FROM = 5_000_000_000;
const NAMED_IDS_COUNT = 4_000_000_000;
const CROWD_IDS_FROM = 1_000_000_000;

/** The id of a user by name, unless another name has the same one. */
export function namedUserId(name: string): number {
  const hash = createHash('sha256').update(name).digest().readUIntBE(0, 6);
  return NAMED_IDS_FROM + (hash % NAMED_IDS_COUNT);
}

export class UserStore {
  private readonly users = new Map<number, SimUser>();
  private readonly crowds: Crowd[] = [];

  /** The same person has the same id and profile in every bot; `known` is the store of the shared one. */
  constructor(
    private readonly known?: UserStore,
    earlier: readonly SimUser[] = [],
  ) {
    for (const user of earlier) this.users.set(user.id, user);
  }

  /** The user with that name, created on first use. */
  named(name: string): SimUser {
    const id = this.known && !this.idInCrowd(name) ? this.known.idOf(name) : this.idOf(name);
    const profile = this.known?.find(id);
    const existing = this.users.get(id);
    if (existing) return existing;
    const user: SimUser = {
      id,
      name,
      firstName: profile?.firstName ?? name,
      username: profile?.username ?? null,
      languageCode: profile?.languageCode ?? null,
      started: this.crowdOf(id) !== undefined,
      blocked: false,
    };
    this.users.set(id, user);
    return user;
  }

  find(id: number): SimUser | undefined {
    return this.users.get(id);
  }

  /** The crowd of an id, unless that member has already been addressed as a user. */
  crowdOfUnnamed(id: number): Crowd | undefined {
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
    let id = namedUserId(name);
    while (this.users.has(id) && this.users.get(id)?.name !== name) id += 1;
    return id;
  }

  /** Members of a crowd with prefix `p` are named p1, p2, … */
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
