import css from './forms.css?inline';

// With the pages of forms, so that the sign-in page does not load them. The policy of the pages refuses style elements.
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets.push(sheet);
