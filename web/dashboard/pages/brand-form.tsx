import { useState } from 'preact/hooks';
import { inkOn } from '../../../src/base/contract/color';
import { KIB, limits } from '../../../src/base/contract/limits';
import { api, type OwnProjectChanges, type ProjectView } from '../api';
import { fieldProblems } from '../errors';
import {
  ActionButton,
  Field,
  FieldError,
  FileInput,
  FormButtons,
  Problem,
  toast,
  useForm,
} from '../elements';
import { typedOrNull } from '../format';
import { firstChannel, messengerName } from '../messengers';
import { t } from '../texts';

const FIELDS = ['body', 'brand.logo_url', 'brand.color', 'brand.privacy_url'];
const COLOR = /^#[0-9a-f]{6}$/i;
/** Where the picker starts; the colour of a page without a brand. */
const UNSET = '#2457d6';

/** How the hosted login page looks: logo, colour and privacy link. */
export function BrandForm({ project }: { project: ProjectView }) {
  const [brand, setBrand] = useState(project.brand);
  const [logo, setLogo] = useState(brand.logo_url ?? '');
  const [color, setColor] = useState(brand.color ?? '');
  const [privacy, setPrivacy] = useState(brand.privacy_url ?? '');
  const [file, setFile] = useState<{ file: File; shown: string } | null>(null);
  const [fetchError, setFetchError] = useState<Error | null>(null);
  const change = async (changes: NonNullable<OwnProjectChanges['brand']>) => {
    const changed = await api.changeProject({ brand: changes });
    setBrand(changed.brand);
    toast(t.saved);
  };
  const form = useForm(FIELDS, async () => {
    if (color.trim() !== '' && !COLOR.test(color.trim())) throw new FieldError('brand.color', t.colorFormat);
    if (file && file.file.size > limits.uploadedLogoBytes) {
      throw new FieldError('body', t.logoTooLarge(limits.uploadedLogoBytes / KIB));
    }
    if (file) {
      const { brand: uploaded } = await api.uploadLogo(file.file);
      setBrand(uploaded);
      setLogo('');
      setFile(null);
    }
    await change({
      // Herald fetches a logo whose address is sent, so only a new one is.
      ...(file || typedOrNull(logo) === brand.logo_url ? {} : { logo_url: typedOrNull(logo) }),
      color: typedOrNull(color),
      privacy_url: typedOrNull(privacy),
    });
  });
  const choose = async (chosen: File | null) =>
    setFile(chosen ? { file: chosen, shown: await dataUrl(chosen) } : null);
  const removeLogo = async () => {
    await change({ logo_url: null });
    setLogo('');
  };
  const fetching = fieldProblems(fetchError, FIELDS);
  const isStored = typedOrNull(logo) === brand.logo_url;
  return (
    <section class="panel settings look" aria-labelledby="brand-title">
      <h2 id="brand-title">{t.loginPage}</h2>
      <p class="hint">{t.loginPageLead}</p>
      <div class="look-columns">
        <form {...form.attributes}>
          <Field
            label={t.logoFile}
            hint={t.logoFileHint(limits.uploadedLogoBytes / KIB)}
            error={form.problemOf('body')}
          >
            {(attributes) => (
              <FileInput
                // A new one after each upload: it would go on naming the old file.
                key={brand.logo_path}
                attributes={attributes}
                accept="image/png,image/jpeg,image/webp"
                onChoose={(file) => void choose(file)}
              />
            )}
          </Field>
          <Field
            label={t.logoUrl}
            hint={t.logoHint(limits.logoBytes / KIB)}
            error={form.problemOf('brand.logo_url') ?? fetching.byField[0]?.text}
          >
            {(attributes) => (
              <input
                {...attributes}
                type="url"
                placeholder="https://"
                maxLength={limits.urlLength}
                value={logo}
                onInput={(event) => setLogo(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={t.brandColor} hint={t.brandColorHint} error={form.problemOf('brand.color')}>
            {(attributes) => (
              <span class="color">
                <input
                  type="color"
                  aria-label={t.pickColor}
                  value={COLOR.test(color.trim()) ? color.trim().toLowerCase() : UNSET}
                  onInput={(event) => setColor(event.currentTarget.value)}
                />
                <input
                  {...attributes}
                  class="short"
                  placeholder={UNSET}
                  maxLength={7}
                  spellcheck={false}
                  value={color}
                  onInput={(event) => setColor(event.currentTarget.value)}
                />
              </span>
            )}
          </Field>
          <Field label={t.privacyUrl} error={form.problemOf('brand.privacy_url')}>
            {(attributes) => (
              <input
                {...attributes}
                type="url"
                placeholder="https://"
                maxLength={limits.urlLength}
                value={privacy}
                onInput={(event) => setPrivacy(event.currentTarget.value)}
              />
            )}
          </Field>
          <Problem error={fetching.rest} />
          <FormButtons form={form} submit={t.updateLoginPage}>
            {brand.logo_path !== null && isStored && (
              <ActionButton act={removeLogo} onError={setFetchError}>
                {t.removeLogo}
              </ActionButton>
            )}
            {brand.logo_url !== null && isStored && (
              <ActionButton act={() => change({ logo_url: brand.logo_url })} onError={setFetchError}>
                {t.fetchLogoAgain}
              </ActionButton>
            )}
          </FormButtons>
        </form>
        <div>
          <h2>{t.preview}</h2>
          <Preview
            name={project.name}
            logo={file?.shown ?? (isStored ? brand.logo_path : null)}
            color={COLOR.test(color.trim()) ? color.trim() : null}
            privacy={privacy.trim() !== ''}
          />
        </div>
      </div>
    </section>
  );
}

/** The pages' policy allows pictures as data, not as objects of the browser. */
function dataUrl(file: File): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onloadend = () => resolve(String(reader.result ?? ''));
    reader.readAsDataURL(file);
  });
}

/** The head of the page as its users see it. A logo at a new URL is shown once it is stored. */
function Preview(props: { name: string; logo: string | null; color: string | null; privacy: boolean }) {
  const { name, logo, color } = props;
  return (
    <figure class="login-preview" aria-label={t.preview}>
      {logo ? (
        <img src={logo} alt="" />
      ) : (
        <span class="initial" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
      )}
      <p class="login-title">{t.previewHeading(name)}</p>
      <span class="login-button" style={color ? { background: color, color: inkOn(color) } : {}}>
        {t.openIn(messengerName(firstChannel()))}
      </span>
      {props.privacy && <span class="hint">{t.previewPrivacy}</span>}
    </figure>
  );
}
