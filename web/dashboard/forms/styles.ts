import css from './forms.css?inline';

// With the pages of forms, so that nobody loads them before the sign-in. The policy of the pages refuses style elements.
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets.push(sheet);
