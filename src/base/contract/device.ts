/** What a browser's User-Agent says about the device, in words that its owner recognises. */
interface Device {
  browser: string | null;
  system: string | null;
}

/** In this order: most browsers also name those that they descend from. */
const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS|Opera)\b/, 'Opera'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bMiuiBrowser\//, 'Mi Browser'],
  [/\bHuaweiBrowser\//, 'Huawei Browser'],
  [/\bUCBrowser\//, 'UC Browser'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:DuckDuckGo|Ddg)\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\//, 'Safari'],
  [/\b(?:MSIE |Trident\/)/, 'Internet Explorer'],
];

const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows Phone\b/, 'Windows Phone'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b/, 'macOS'],
  [/\b(?:Linux|X11)\b/, 'Linux'],
];

/** Null for a text that is not a browser's: a project may pass a name of its own, such as "Acme app on Pixel 8". */
export function readUserAgent(text: string): Device | null {
  if (!/^(?:Mozilla|Opera)\/\d/.test(text)) return null;
  const named = (table: [RegExp, string][]) => table.find(([sign]) => sign.test(text))?.[1] ?? null;
  const device = { browser: named(browsers), system: named(systems) };
  return device.browser === null && device.system === null ? null : device;
}
