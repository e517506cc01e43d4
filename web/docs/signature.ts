import { pageLanguage } from './page-language';
import { checkSignature, type Finding } from './signature-check';
import { signatureWords } from './signature-words';

/** The form of the signature debugger. */
export function setUpSignature(): void {
  const form = document.querySelector<HTMLFormElement>('#signature');
  const result = document.querySelector<HTMLElement>('#signature-result');
  if (!form || !result) return;
  form.hidden = false;
  const words = signatureWords[pageLanguage()];
  const value = (id: string) =>
    form.querySelector<HTMLInputElement | HTMLTextAreaElement>(`#signature-${id}`)?.value ?? '';
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isSecureContext) {
      const [title, text] = words.unavailable;
      result.replaceChildren(...shown({ state: 'warn', title, text }));
      return;
    }
    const request = {
      headers: value('headers'),
      body: value('body'),
      secret: value('secret'),
      nowSeconds: Math.floor(Date.now() / 1000),
    };
    void checkSignature(request, words).then((findings) =>
      result.replaceChildren(...findings.flatMap(shown)),
    );
  });
}

function shown({ state, title, text }: Finding): HTMLElement[] {
  const box = document.createElement('div');
  box.className = `notice ${state}`;
  const strong = document.createElement('strong');
  strong.textContent = title;
  const words = document.createElement('p');
  words.textContent = text;
  box.append(strong, words);
  return [box];
}
