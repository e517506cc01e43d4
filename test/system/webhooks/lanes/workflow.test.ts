import { control } from '../suites/control';
import { delivery } from '../suites/delivery';
import { retries } from '../suites/retries';
import { schedule } from '../suites/schedule';
import { runLane } from '../suites/lane';

/**
 * What this lane survives is in test/chaos; what only this lane has, in ../workflow-lane.test.ts. What a project requests wakes a
 * workflow, so it is tested here.
 */
const lane = runLane('workflow');
describe('workflow lane: a delivery', () => delivery(lane));
describe('workflow lane: retries', () => retries(lane));
describe('workflow lane: the durable schedule', () => schedule(lane));
describe('workflow lane: requests of a project', () => control(lane));
