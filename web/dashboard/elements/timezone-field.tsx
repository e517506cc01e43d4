import { SuggestField } from './combobox';

/** The name of a time zone, with all that the browser knows to choose from. */
export function TimezoneField(props: Omit<Parameters<typeof SuggestField>[0], 'known'>) {
  return <SuggestField {...props} known={Intl.supportedValuesOf('timeZone')} />;
}
