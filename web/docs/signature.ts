import { checkSignature, type Finding } from './signature-check';

/** The form of the signature debugger. */
export function setUpSignature(): void {
  const form = document.querySelector<HTMLFormElement>('#signature');
  const result = document.querySelector<HTMLElement>('#signature-result');
  if (!form || !result) return;
  form.hidden = false;
  const value = (id: string) =>
    form.querySelector<HTMLInputElement | HTMLTextAreaElement>(`#signature-${id}`)?.value ?? '';
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isSecureContext) {
      result.replaceChildren(
        ...shown({
          state: 'warn',
          title: 'Not available here',
          text: 'Browsers compute signatures on https and localhost only. Open the documentation there.',
        }),
      );
      return;
    }
    const request = {
      headers: value('headers'),
      body: value('body'),
      secret: value('secret'),
      nowSeconds: Math.floor(Date.now() / 1000),
    };
    void checkSignature(request).then((findings) => result.replaceChildren(...findings.flatMap(shown)));
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
