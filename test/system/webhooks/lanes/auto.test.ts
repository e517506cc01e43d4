import { control } from '../suites/control';
import { delivery } from '../suites/delivery';
import { log } from '../suites/log';

/**
 * A delivery of this lane takes one of the two others, which run everything: here is what happens before and after that
 * choice. The choice itself is in pace.test.ts.
 */
describe('auto lane: a delivery', () => delivery('auto'));
describe('auto lane: requests of a project', () => control('auto'));
describe('auto lane: the log', () => log('auto'));
