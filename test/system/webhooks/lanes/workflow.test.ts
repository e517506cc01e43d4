import { control } from '../suites/control';
import { delivery } from '../suites/delivery';
import { endpointHealth } from '../suites/endpoint-health';
import { log } from '../suites/log';
import { outages } from '../suites/outages';
import { resilience } from '../suites/resilience';
import { retries } from '../suites/retries';
import { schedule } from '../suites/schedule';

/** Everything that this lane runs. What only this lane has is in workflow-lane.test.ts. */
describe('workflow lane: a delivery', () => delivery('workflow'));
describe('workflow lane: retries', () => retries('workflow'));
describe('workflow lane: the durable schedule', () => schedule('workflow'));
describe('workflow lane: requests of a project', () => control('workflow'));
describe('workflow lane: the log', () => log('workflow'));
describe('workflow lane: crashes', () => resilience('workflow'));
describe('workflow lane: outages', () => outages('workflow'));
describe('workflow lane: the rule of 120 hours', () => endpointHealth('workflow'));
