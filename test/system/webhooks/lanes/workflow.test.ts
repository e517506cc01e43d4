import { control } from '../suites/control';
import { delivery } from '../suites/delivery';
import { endpointHealth } from '../suites/endpoint-health';
import { log } from '../suites/log';
import { retries } from '../suites/retries';
import { schedule } from '../suites/schedule';
import { runLane } from '../suites/lane';

/** What this lane survives is in test/chaos; what only this lane has, in ../workflow-lane.test.ts. */
const lane = runLane('workflow');
describe('workflow lane: a delivery', () => delivery(lane));
describe('workflow lane: retries', () => retries(lane));
describe('workflow lane: the durable schedule', () => schedule(lane));
describe('workflow lane: requests of a project', () => control(lane));
describe('workflow lane: the log', () => log(lane));
describe('workflow lane: the rule of 120 hours', () => endpointHealth(lane));
