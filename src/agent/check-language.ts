/** True for a tag of a language that this runtime can write dates in. */
export function isLanguage(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(value).length > 0;
  } catch {
    return false; // It is no tag at all.
  }
}

/** True for the name of a time zone that this runtime knows. */
export function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
