import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import type { TestService } from '../support/service';
import { visit } from '../web/fixture';
import { AGENT, type Demo } from './demo-data';
import { root } from './take';

/** Columns of the list, as docs/operations.md advises. */
const columns = ['Workflow ID', 'EventName', 'Attempt', 'LastError', 'LastHttpStatus', 'NextAttemptAt'].map(
  (label) => ({ label }),
);

const shown = (name: string) => path.join(root, 'docs', 'screenshots', `${name}.png`);

/** What README and the documentation show besides the dashboard: the login, the phone, the docs, the Temporal UI. */
export async function takeReadmePictures(
  browser: Browser,
  service: TestService,
  demo: Demo,
  temporalUi: string,
): Promise<void> {
  const { body } = await demo.shop.api('POST', '/v1/auth/session', {
    state: 'order-1045',
    user_agent: AGENT,
    client_ip: '203.0.113.7',
  });
  await inWindow(browser, 940, 700, async (page) => {
    await page.goto(body.hosted_url as string);
    await page.locator('#countdown').waitFor();
    await page.screenshot({ path: shown('login') });
  });
  await inWindow(browser, 440, 700, async (page) => {
    await page.goto(body.telegram_link as string);
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('button', { name: 'Yes' }).waitFor();
    await page.screenshot({ path: shown('phone') });
  });
  await inWindow(browser, 1400, 860, async (page) => {
    await page.goto(`${service.url}/docs/reference/login`);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: shown('docs') });
  });
  await takeTemporal(browser, demo, temporalUi);
}

async function takeTemporal(browser: Browser, demo: Demo, ui: string): Promise<void> {
  // The second attempt follows after half a minute.
  await eventually(async () => {
    const { body } = await demo.project.api('GET', `/v1/deliveries/${demo.deliveryId}`);
    return body.attempts[1]?.duration_ms != null;
  }, 60_000);
  const query = encodeURIComponent('DeliveryStatus = "retrying" AND ExecutionStatus = "Running"');
  await inWindow(browser, 1720, 470, async (page) => {
    await page.addInitScript(
      `localStorage.setItem('namespace-workflow-table-columns', '${JSON.stringify({ default: columns })}')`,
    );
    await page.goto(`${ui}/namespaces/default/workflows?query=${query}`);
    await page
      .getByRole('link', { name: /delivery\// })
      .first()
      .waitFor();
    await page.screenshot({ path: shown('temporal-stuck') });
  });
  await inWindow(browser, 1400, 860, async (page) => {
    await page.goto(
      `${ui}/namespaces/default/workflows/${encodeURIComponent(`delivery/${demo.deliveryId}`)}`,
    );
    await page.getByRole('heading', { name: 'Event History', exact: true }).waitFor();
    // The page goes on asking for new events, so that its network is never idle.
    await page
      .getByText(/Timer|Execution Started/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.screenshot({ path: shown('temporal-delivery') });
  });
}

async function inWindow(
  browser: Browser,
  width: number,
  height: number,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const { page, context } = await visit(browser, { viewport: { width, height }, timezoneId: 'UTC' });
  await act(page);
  await context.close();
}
