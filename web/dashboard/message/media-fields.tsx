import { limits, MIB } from '../../../src/base/contract/limits';
import { SelectField, TextField } from '../elements';
import { t } from '../texts';
import type { ContentDraft } from './content';

type MediaDraft = Pick<ContentDraft, 'mediaType' | 'mediaUrl'>;

/** A photo, video or document that the messenger or Herald fetches by its address. */
export function MediaFields(props: {
  draft: MediaDraft;
  change: (part: Partial<MediaDraft>) => void;
  error: string | null;
}) {
  const { draft, change } = props;
  const bytes = draft.mediaType === 'photo' ? limits.photoBytes : limits.videoOrDocumentBytes;
  return (
    <div class="two">
      <SelectField
        label={t.media}
        value={draft.mediaType}
        onChange={(mediaType) => change({ mediaType })}
        options={[
          { value: '', text: t.noMedia },
          { value: 'photo', text: t.mediaTypes.photo },
          { value: 'video', text: t.mediaTypes.video },
          { value: 'document', text: t.mediaTypes.document },
        ]}
      />
      {draft.mediaType !== '' && (
        <TextField
          label={t.mediaUrl}
          hint={t.mediaHint(bytes / MIB)}
          error={props.error}
          type="url"
          required
          placeholder="https://"
          maxLength={limits.urlLength}
          value={draft.mediaUrl}
          onInput={(mediaUrl) => change({ mediaUrl })}
        />
      )}
    </div>
  );
}
