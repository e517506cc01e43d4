import { runLane } from '../system/webhooks/suites/lane';
import { outages } from '../system/webhooks/suites/outages';
import { resilience } from '../system/webhooks/suites/resilience';

const lane = runLane('express');
describe('express lane: crashes', () => resilience(lane));
describe('express lane: outages', () => outages(lane));
