import { control } from '../suites/control';
import { delivery } from '../suites/delivery';
import { log } from '../suites/log';
import { resilience } from '../suites/resilience';
import { retries } from '../suites/retries';

/** Everything that this lane runs. What only this lane has is in express-lane.test.ts. */
describe('express lane: a delivery', () => delivery('express'));
describe('express lane: retries', () => retries('express'));
describe('express lane: requests of a project', () => control('express'));
describe('express lane: the log', () => log('express'));
describe('express lane: outages', () => resilience('express'));
