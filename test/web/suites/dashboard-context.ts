import type { Browser, Page } from 'playwright-core';
import type { TestProject, TestService } from '../../support/service';
import type { Visit } from '../fixture';

/** What the suites of the dashboard share: one service, one browser, one project. */
export interface DashboardContext {
  service: TestService;
  project: TestProject;
  /** A person with a browser of their own, which is closed after the test. */
  someone(options?: Parameters<Browser['newContext']>[0]): Promise<Visit>;
  /** Opens a page and signs in by the project's key, or by another one. */
  signIn(page: Page, path?: string, key?: string): Promise<void>;
  /** Pages of one endpoint, delivery, subscriber, template, recurring message and chain of the project. */
  detailPages(): Promise<string[]>;
}
