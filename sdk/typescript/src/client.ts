import { HeraldApi } from './generated/api';
import type { AuthGetRequestResponse, AuthGetSessionStatusResponse } from './generated/types';
import { Transport, type HeraldOptions } from './transport';
import { waitWhilePending, type WaitOptions } from './wait';

/** A client of one project. It keeps no connection or timer: there is nothing to close. */
export class Herald extends HeraldApi {
  constructor(options: HeraldOptions = {}) {
    super(new Transport(options));
  }

  /**
   * Waits until the user has answered or the session has ended, by long polls. The response has the code once `status` is
   * `confirmed`; check that its `state` belongs to the browser before you redeem the code.
   */
  waitForSession(sessionId: string, options: WaitOptions = {}): Promise<AuthGetSessionStatusResponse> {
    return waitWhilePending(
      (wait, request) => this.auth.getSessionStatus(sessionId, { wait }, request),
      options,
    );
  }

  /** Waits until an approval is decided or has ended, by long polls. */
  waitForRequest(requestId: string, options: WaitOptions = {}): Promise<AuthGetRequestResponse> {
    return waitWhilePending((wait, request) => this.auth.getRequest(requestId, { wait }, request), options);
  }
}
