import type { Project } from './contract';

/** Further fields of a request's caller. */
declare module '../../base/http/route' {
  interface Caller extends Project {
    /** The key that was used, directly or by signing in to the dashboard; null for a member. */
    key_id: string | null;
    /** Null for a key. */
    member_id: string | null;
    account_id: string | null;
  }
}
