import { control } from '../suites/control';
import { delivery } from '../suites/delivery';
import { endpointHealth } from '../suites/endpoint-health';
import { log } from '../suites/log';
import { outages } from '../suites/outages';
import { resilience } from '../suites/resilience';
import { retries } from '../suites/retries';
import { schedule } from '../suites/schedule';

/** Everything that this lane runs. What only this lane has is in express-lane.test.ts. */
describe('express lane: a delivery', () => delivery('express'));
describe('express lane: retries', () => retries('express'));
describe('express lane: the durable schedule', () => schedule('express'));
describe('express lane: requests of a project', () => control('express'));
describe('express lane: the log', () => log('express'));
describe('express lane: crashes', () => resilience('express'));
describe('express lane: outages', () => outages('express'));
describe('express lane: the rule of 120 hours', () => endpointHealth('express'));
