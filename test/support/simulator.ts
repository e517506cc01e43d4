import { startSimulator, type Simulator } from '../../src/local/simulator';
import { testBots } from './simulator-control';

export function startTestSimulator(): Promise<Simulator> {
  return startSimulator({ port: 0, ...testBots });
}
