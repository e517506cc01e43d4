import { delivery } from '../suites/delivery';
import { endpointHealth } from '../suites/endpoint-health';
import { log } from '../suites/log';
import { retries } from '../suites/retries';
import { schedule } from '../suites/schedule';
import { runLane } from '../suites/lane';

/**
 * What this lane survives is in test/chaos; what only this lane has, in ../express-lane.test.ts. The log and the health of
 * endpoints are read from rows, which this lane writes by statements of its own.
 */
const lane = runLane('express');
describe('express lane: a delivery', () => delivery(lane));
describe('express lane: retries', () => retries(lane));
describe('express lane: the durable schedule', () => schedule(lane));
describe('express lane: the log', () => log(lane));
describe('express lane: the rule of 120 hours', () => endpointHealth(lane));
