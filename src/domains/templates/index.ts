/** The public interface of this domain. */
export {
  type FixedTemplate,
  type ResolvedTemplate,
  renderFor,
  resolveTemplate,
  resolveTemplates,
} from './fixed';
export { escapes } from './escape';
export { compileTemplate, faultOf, type Template } from './template';
export { type TemplateUse } from './uses';
export { type FurtherNames, type TemplateRecipient, valuesFor } from './values';
