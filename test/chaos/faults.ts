import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '../../src/base/contract/common';
import { createSimulatorControl } from '../support/simulator-control';
import type { ChaosFixture } from './fixture';
import type { Load } from './load';
import type { Part } from './parts';
import type { Random } from './random';

/** Something that goes wrong for a while. Two faults of the same thing never overlap. */
export interface Fault {
  name: string;
  thing: object;
  run(): Promise<void>;
}

const kill = (part: Part, random: Random): Fault => ({
  name: `kill ${part.name}`,
  thing: part,
  run: () => part.kill(Math.round(random.between(0, 2_500))),
});
const pause = (part: Part, random: Random): Fault => ({
  name: `pause ${part.name}`,
  thing: part,
  run: () => part.pause(Math.round(random.between(500, 4_000))),
});

/** The faults of every run: crashes, and machines that stand still. */
export function faultsOfParts({ parts }: ChaosFixture, random: Random): Fault[] {
  return parts.flatMap((part) => [kill(part, random), kill(part, random), pause(part, random)]);
}

/** What surrounds the processes: clocks, the disk, DNS, messengers and receivers. */
export function faultsOfWorld({ world, simulator }: ChaosFixture, load: Load, random: Random): Fault[] {
  if (!world) return [];
  const { clock, dns, disk } = world;
  const control = createSimulatorControl(simulator.url);
  const between = (least: number, most: number) => sleep(Math.round(random.between(least, most)));
  const messenger = (channel: Channel, status: number): Fault => ({
    name: `${channel} responds ${status}`,
    thing: control,
    async run() {
      await control.faults(channel, {
        method: 'sendMessage',
        status,
        times: 1_000,
        ...(status === 429 ? { retry_after: 1 } : {}),
      });
      await between(2_000, 8_000);
      await control.faults(channel, { clear: true });
    },
  });
  return [
    ...[300, -300].map((seconds) => ({
      name: `clock of the worker ${seconds > 0 ? '+' : '−'}5 minutes`,
      thing: clock,
      async run() {
        await clock.set(seconds);
        await between(5_000, 20_000);
        await clock.set(0);
      },
    })),
    {
      name: 'disk of the database full',
      thing: disk,
      async run() {
        await disk.fill();
        await between(3_000, 8_000);
        await disk.free();
      },
    },
    ...(['refuse', 'silence'] as const).map((mode) => ({
      name: `DNS: ${mode === 'refuse' ? 'SERVFAIL' : 'no response'}`,
      thing: dns,
      async run() {
        dns.mode(mode);
        await between(4_000, 12_000);
        dns.mode('answer');
      },
    })),
    messenger('telegram', 429),
    messenger('telegram', 500),
    messenger('max', 429),
    messenger('max', 500),
    {
      name: 'receivers hang',
      thing: load,
      async run() {
        load.hang(true);
        await between(5_000, 15_000);
        load.hang(false);
      },
    },
  ];
}
