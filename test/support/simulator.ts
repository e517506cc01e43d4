import { startSimulator, type Simulator } from '../../src/embedded/simulator';
import { testBots } from './simulator-control';

export function startTestSimulator(): Promise<Simulator> {
  return startSimulator({ port: 0, ...testBots });
}
