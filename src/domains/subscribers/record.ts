import type { Channel, Language } from '../../base/contract/common';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import type { SubscriberFields } from '../events/contract';
import { isoTime } from '../../base/lib/iso-time';
import type { Properties, SubscriberView } from './contract';

/** A row of `subscribers`. */
export interface SubscriberRecord {
  id: string;
  project_id: string;
  channel: Channel;
  platform_user_id: string;
  chat_id: string;
  /** The bot through which they came last; null for the shared one. */
  bot: string | null;
  external_id: string | null;
  first_name: string;
  username: string | null;
  lang: Language;
  permissions: string[];
  tags: string[];
  active: boolean;
  blocked: boolean;
  /** Null: the project's. */
  timezone: string | null;
  properties: Properties;
  created_at: Date;
}

/** The subscriber as shown in events. */
export function presentSubscriber(record: SubscriberRecord, format: SubscriberIdFormat): SubscriberFields {
  return {
    subscriber_id: formatSubscriberId(record.id, format),
    channel: record.channel,
    external_id: record.external_id,
    first_name: record.first_name,
    username: record.username,
    lang: record.lang,
    permissions: record.permissions,
    tags: record.tags,
    active: record.active,
    blocked: record.blocked,
    created_at: isoTime(record.created_at),
  };
}

/** The subscriber as shown in responses. */
export function viewSubscriber(record: SubscriberRecord, format: SubscriberIdFormat): SubscriberView {
  return {
    ...presentSubscriber(record, format),
    timezone: record.timezone,
    properties: record.properties,
  };
}
