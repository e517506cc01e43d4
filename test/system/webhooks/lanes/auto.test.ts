import { delivery } from '../suites/delivery';
import { runLane } from '../suites/lane';

/**
 * A delivery of this lane takes one of the two others, which run everything else: at rest the workflow lane. The choice
 * itself is in pace.test.ts.
 */
const lane = runLane('auto');
describe('auto lane: a delivery', () => delivery(lane));
