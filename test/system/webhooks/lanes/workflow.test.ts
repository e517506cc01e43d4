import { control } from '../suites/control';
import { delivery } from '../suites/delivery';
import { log } from '../suites/log';
import { resilience } from '../suites/resilience';
import { retries } from '../suites/retries';

/** Everything that this lane runs. What only this lane has is in workflow-lane.test.ts. */
describe('workflow lane: a delivery', () => delivery('workflow'));
describe('workflow lane: retries', () => retries('workflow'));
describe('workflow lane: requests of a project', () => control('workflow'));
describe('workflow lane: the log', () => log('workflow'));
describe('workflow lane: outages', () => resilience('workflow'));
