import { useState } from 'preact/hooks';
import { api, type Subscriber } from '../api';
import { Dialog, FieldError, FormButtons, LabelsField, toast, useForm } from '../elements';
import { t } from '../texts';

/** Adds tags to several subscribers and removes others. Those that could not be changed are named. */
export function BulkTags(props: { people: Subscriber[]; onClose: () => void; onSaved: () => Promise<void> }) {
  const { people } = props;
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const [failed, setFailed] = useState<Subscriber[]>([]);
  const form = useForm(['add', 'remove'], async () => {
    if (add.length + remove.length === 0) throw new FieldError('add', t.results.tagsNeeded);
    const result = await api.tagSubscribers(
      people.map(({ subscriber_id }) => subscriber_id),
      { add, remove },
    );
    toast(t.results.tagged(result.updated));
    await props.onSaved();
    const ids = new Set(result.failed.map(({ id }) => id));
    if (ids.size === 0) props.onClose();
    else setFailed(people.filter(({ subscriber_id }) => ids.has(subscriber_id)));
  });
  const change = (set: (tags: string[]) => void) => (tags: string[]) => {
    form.touch();
    set(tags);
  };
  return (
    <Dialog title={t.results.editTagsTitle(people.length)} unsaved={form.dirty} onClose={props.onClose}>
      {failed.length > 0 ? (
        <>
          <div class="problem" role="alert">
            <p>{t.results.notTagged(failed.length)}</p>
            <ul>
              {failed.map(({ subscriber_id, first_name }) => (
                <li key={subscriber_id}>
                  <bdi>{first_name}</bdi>
                </li>
              ))}
            </ul>
          </div>
          <p class="buttons end">
            <button type="button" class="btn primary" onClick={props.onClose}>
              {t.results.close}
            </button>
          </p>
        </>
      ) : (
        <form {...form.attributes}>
          <LabelsField
            kind="tags"
            label={t.results.addTags}
            error={form.problemOf('add')}
            value={add}
            onChange={change(setAdd)}
          />
          <LabelsField
            kind="tags"
            label={t.results.removeTags}
            error={form.problemOf('remove')}
            value={remove}
            onChange={change(setRemove)}
          />
          <FormButtons form={form} submit={t.save} onCancel={props.onClose} />
        </form>
      )}
    </Dialog>
  );
}
