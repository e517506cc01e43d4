import { formatSubscriberId, subscriberIdFormats } from '../../base/contract/ids';
import type { Held, Person, PersonalData } from '../../base/db/personal-data';
import { createRegistry } from '../../base/lib/registry';
import { ownPersonalData } from './queries/personal-data';

/** In the order of their removal. */
export const personalData = createRegistry<PersonalData>('personalData');

/** Stands for a removed subscriber where a row has to stay. */
export const ERASED_SUBSCRIBER_ID = '00000000-0000-0000-0000-000000000000';

/** The tables of which something is shown. */
export function heldTables(): ({ table: string } & Held)[] {
  return [ownPersonalData, ...personalData.entries()]
    .flatMap(({ tables }) => Object.entries(tables))
    .flatMap(([table, { held }]) => (held ? [{ table, ...held }] : []));
}

export function publicIdsOf(id: string): string[] {
  return subscriberIdFormats.map((format) => formatSubscriberId(id, format));
}

/** For recorded responses: they stay, so that a repeated request sends nothing again, and no longer name the subscriber. */
export function withoutIdsOf({ public_ids }: Pick<Person, 'public_ids'>): (text: string) => string {
  return (text) => public_ids.reduce((rest, id) => rest.replaceAll(id, ERASED_SUBSCRIBER_ID), text);
}
