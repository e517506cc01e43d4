import { limits } from '../../../src/contract/limits';
import { api, type Audience, type AudienceView } from '../api';
import { Icon, SelectField, TextField } from '../elements';
import { typedList } from '../format';
import { messengerName, messengerOptions } from '../messengers';
import { useResource, useSettled } from '../resource';
import { t } from '../texts';

/** Who gets a message, as it is typed. */
export interface AudienceDraft {
  /** Empty: all. */
  channel: string;
  tagsAll: string;
  tagsAny: string;
  excludeTags: string;
  permission: string;
}

export const emptyAudience: AudienceDraft = {
  channel: '',
  tagsAll: '',
  tagsAny: '',
  excludeTags: '',
  permission: '',
};

/** The fields that the API can name in an error. */
export const audienceFields = ['channel', 'tags_all', 'tags_any', 'exclude_tags', 'permission'] as const;
export type AudienceField = (typeof audienceFields)[number];

export function audienceOf(draft: AudienceDraft): Audience {
  return {
    ...(draft.channel === '' ? {} : { channel: draft.channel }),
    ...(draft.permission.trim() === '' ? {} : { permission: draft.permission.trim() }),
    tags_all: typedList(draft.tagsAll, ','),
    tags_any: typedList(draft.tagsAny, ','),
    exclude_tags: typedList(draft.excludeTags, ','),
  };
}

/** A stored audience, to be edited. */
export function audienceDraft(audience: AudienceView): AudienceDraft {
  const listed = (tags: string[] = []) => tags.join(', ');
  return {
    channel: audience.channel ?? '',
    tagsAll: listed(audience.tags_all),
    tagsAny: listed(audience.tags_any),
    excludeTags: listed(audience.exclude_tags),
    permission: audience.permission ?? '',
  };
}

/** Who gets it, in words. */
export function audienceText(audience: AudienceView): string {
  const { channel, tagsAll, tagsAny, excludeTags, permission } = audienceDraft(audience);
  const parts = [
    channel ? messengerName(channel) : t.allChannels,
    tagsAll && t.taggedAll(tagsAll),
    tagsAny && t.taggedAny(tagsAny),
    excludeTags && t.notTagged(excludeTags),
    permission && t.permitted(permission),
  ];
  return parts.filter(Boolean).join(' · ');
}

export function AudienceEditor(props: {
  draft: AudienceDraft;
  change: (part: Partial<AudienceDraft>) => void;
  problemOf: (field: AudienceField) => string | null;
}) {
  const { draft, change, problemOf } = props;
  return (
    <fieldset>
      <legend>{t.audience}</legend>
      <SelectField
        label={t.channel}
        value={draft.channel}
        error={problemOf('channel')}
        onChange={(channel) => change({ channel })}
        options={[{ value: '', text: t.allChannels }, ...messengerOptions()]}
      />
      <TextField
        label={t.withTags}
        hint={t.separateWithCommas}
        error={problemOf('tags_all')}
        value={draft.tagsAll}
        onInput={(tagsAll) => change({ tagsAll })}
      />
      <TextField
        label={t.withAnyTag}
        hint={t.separateWithCommas}
        error={problemOf('tags_any')}
        value={draft.tagsAny}
        onInput={(tagsAny) => change({ tagsAny })}
      />
      <TextField
        label={t.withoutTags}
        hint={t.separateWithCommas}
        error={problemOf('exclude_tags')}
        value={draft.excludeTags}
        onInput={(excludeTags) => change({ excludeTags })}
      />
      <TextField
        label={t.withPermission}
        error={problemOf('permission')}
        maxLength={limits.tagLength}
        value={draft.permission}
        onInput={(permission) => change({ permission })}
      />
      <AudienceCount draft={draft} />
    </fieldset>
  );
}

/** How many subscribers the audience has, counted by the API shortly after the last change. */
function AudienceCount({ draft }: { draft: AudienceDraft }) {
  const wanted = JSON.stringify(audienceOf(draft));
  const settled = useSettled(wanted);
  const counted = useResource(
    () => api.broadcast({ text: 'count', ...(JSON.parse(settled) as Audience), dry_run: true }),
    settled,
  );
  return (
    <p class="audience" role="status">
      <Icon name="users" small />{' '}
      {counted.error ? '–' : counted.data ? t.audienceCount(counted.data.total_subscribers) : t.counting}
    </p>
  );
}
