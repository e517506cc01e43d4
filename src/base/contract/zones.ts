import { DAY_MS } from './durations';

/** Names of the IANA time zone database that `Intl.supportedValuesOf` leaves out in one version of Node or another, by area. */
const OTHER_NAMES: Record<string, string> = {
  Africa: 'Asmara Asmera Timbuktu',
  America:
    'Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba Argentina/Jujuy Argentina/Mendoza Atikokan Atka Buenos_Aires Catamarca Coral_Harbour Cordoba Ensenada Fort_Wayne Godthab Indiana/Indianapolis Indianapolis Jujuy Kentucky/Louisville Knox_IN Louisville Mendoza Montreal Nipigon Nuuk Pangnirtung Porto_Acre Rainy_River Rosario Santa_Isabel Shiprock Thunder_Bay Virgin Yellowknife',
  Antarctica: 'South_Pole',
  Asia: 'Ashkhabad Calcutta Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul Kashgar Kathmandu Katmandu Kolkata Macao Rangoon Saigon Tel_Aviv Thimbu Ujung_Pandang Ulan_Bator Yangon',
  Atlantic: 'Faeroe Faroe Jan_Mayen',
  Australia: 'ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna',
  Brazil: 'Acre DeNoronha East West',
  '': 'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu',
  Canada: 'Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon',
  Chile: 'Continental EasterIsland',
  Etc: 'GMT GMT+0 GMT+1 GMT+10 GMT+11 GMT+12 GMT+2 GMT+3 GMT+4 GMT+5 GMT+6 GMT+7 GMT+8 GMT+9 GMT-0 GMT-1 GMT-10 GMT-11 GMT-12 GMT-13 GMT-14 GMT-2 GMT-3 GMT-4 GMT-5 GMT-6 GMT-7 GMT-8 GMT-9 GMT0 Greenwich UCT UTC Universal Zulu',
  Europe: 'Belfast Kiev Kyiv Nicosia Tiraspol Uzhgorod Zaporozhye',
  Mexico: 'BajaNorte BajaSur General',
  Pacific: 'Chuuk Enderbury Johnston Kanton Pohnpei Ponape Samoa Truk Yap',
  US: 'Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan Mountain Pacific Samoa',
};

const known = new Set([
  ...Intl.supportedValuesOf('timeZone'),
  ...Object.entries(OTHER_NAMES).flatMap(([area, names]) =>
    names.split(' ').map((name) => (area === '' ? name : `${area}/${name}`)),
  ),
]);

/**
 * Exact names only: `Intl` also takes another case and abbreviations such as IST, which other parts, such as Temporal,
 * do not know.
 */
export function isTimeZone(name: string): boolean {
  return known.has(name) && clockOf(name) !== null;
}

/** Every name, sorted, for pickers. */
export function timeZones(): string[] {
  return [...known].filter(isTimeZone).sort();
}

/** A time on a wall clock, without a zone. */
export interface LocalTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/** What a wall clock of the zone shows at an instant; `weekday` is 1 for Monday to 7 for Sunday. */
export function localTimeAt(instant: Date, zone: string): LocalTime & { weekday: number } {
  const local = new Date(instant.getTime() + offsetAt(instant.getTime(), zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    weekday: local.getUTCDay() || 7,
  };
}

/**
 * The instant at which a wall clock of the zone shows this time. A time that does not exist, because the clock skips it,
 * moves forward by the gap; of a time that occurs twice it is the first.
 */
export function instantAt(local: LocalTime, zone: string): Date {
  const shown = asUtc(local);
  // No zone changes its offset twice within two days.
  const before = offsetAt(shown - DAY_MS, zone);
  const after = offsetAt(shown + DAY_MS, zone);
  const found = [shown - before, shown - after].filter(
    (instant) => instant + offsetAt(instant, zone) === shown,
  );
  return new Date(found.length > 0 ? Math.min(...found) : shown - before);
}

/** The first instant after the gap that skips this time; null if the zone's clock shows the time on that day. */
export function endOfGap(local: LocalTime, zone: string): Date | null {
  const shown = asUtc(local);
  const after = offsetAt(shown + DAY_MS, zone);
  // The clock changes between these two instants.
  let [before, from] = [shown - after, shown - offsetAt(shown - DAY_MS, zone)];
  if (before >= from || offsetAt(before, zone) === after || offsetAt(from, zone) !== after) return null;
  while (from - before > 1000) {
    const middle = Math.floor((before + from) / 2000) * 1000;
    if (offsetAt(middle, zone) === after) from = middle;
    else before = middle;
  }
  return new Date(from);
}

/** The time as milliseconds, as if the clock were UTC. Fields beyond their range carry over, as in `Date`. */
function asUtc({ year, month, day, hour, minute, second }: LocalTime): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;
}

const clocks = new Map<string, Intl.DateTimeFormat | null>();

/** Kept, because creating one costs more than using it a hundred times. Null if the runtime has no such zone. */
function clockOf(zone: string): Intl.DateTimeFormat | null {
  const kept = clocks.get(zone);
  if (kept !== undefined) return kept;
  const clock = known.has(zone) ? createClock(zone) : null;
  if (clock) clocks.set(zone, clock);
  return clock;
}

function createClock(zone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null;
  }
}

/** Milliseconds that the zone's clock is ahead of UTC. */
function offsetAt(instant: number, zone: string): number {
  const clock = clockOf(zone);
  if (!clock) throw new RangeError(`unknown time zone: ${zone}`);
  const field: Record<string, string> = {};
  for (const { type, value } of clock.formatToParts(instant)) field[type] = value;
  const year = Number(field['year']);
  const shown = asUtc({
    year: field['era'] === 'BC' ? 1 - year : year,
    month: Number(field['month']),
    day: Number(field['day']),
    hour: Number(field['hour']),
    minute: Number(field['minute']),
    second: Number(field['second']),
  });
  return shown - Math.floor(instant / 1000) * 1000;
}
