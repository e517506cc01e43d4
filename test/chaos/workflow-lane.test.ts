import { runLane } from '../system/webhooks/suites/lane';
import { outages } from '../system/webhooks/suites/outages';
import { resilience } from '../system/webhooks/suites/resilience';

const lane = runLane('workflow');
describe('workflow lane: crashes', () => resilience(lane));
describe('workflow lane: outages', () => outages(lane));
