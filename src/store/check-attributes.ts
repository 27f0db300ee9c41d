import { Refusal } from '../errors.js';
import { MAX_TITLE_LENGTH, normalizeTitle } from './title.js';

/** Rules of a document's plain attributes, as a caller gave them. Each returns the form that is stored, or throws `Refusal` INVALID. */

const MAX_URI_LENGTH = 2_048;
const MAX_MEDIA_TYPE_LENGTH = 255;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"]*"))*$/;

/** `title` as given; its normalised form must not be blank. */
export function checkTitle(title: string, path: readonly string[] = ['input', 'title']): string {
  const wellFormed = title.toWellFormed();
  if (wellFormed.includes('\0')) throw new Refusal('INVALID', 'A title must not hold NUL', path);
  const key = normalizeTitle(wellFormed);
  if (key === '') throw new Refusal('INVALID', 'The title is blank', path);
  // The title as given is kept too, white space and all, so it has the same bound.
  const length = Math.max(key.length, wellFormed.length);
  if (length > MAX_TITLE_LENGTH)
    throw new Refusal('INVALID', `The title has ${length} characters, at most ${MAX_TITLE_LENGTH} are allowed`, path);
  return wellFormed;
}

export function checkSourceUri(uri: string, path: readonly string[] = ['input', 'sourceUri']): string {
  if (uri.length > MAX_URI_LENGTH)
    throw new Refusal('INVALID', `The URI has ${uri.length} characters, at most ${MAX_URI_LENGTH} are allowed`, path);
  return uri.toWellFormed();
}

/** Lower case, as media types are compared (RFC 9110, section 8.3.1). */
export function checkMediaType(mediaType: string, path: readonly string[] = ['input', 'mediaType']): string {
  if (mediaType.length > MAX_MEDIA_TYPE_LENGTH || !MEDIA_TYPE.test(mediaType))
    throw new Refusal(
      'INVALID',
      `Expected a media type such as text/plain, got ${JSON.stringify(mediaType.slice(0, 100))}`,
      path,
    );
  return mediaType.toLowerCase();
}

/** The canonical form of a BCP 47 tag, e.g. "de-AT". */
export function checkLanguage(language: string, path: readonly string[] = ['input', 'language']): string {
  try {
    const [canonical] = Intl.getCanonicalLocales(language);
    if (canonical !== undefined) return canonical;
  } catch {
    // RangeError: not well-formed; refused below.
  }
  throw new Refusal(
    'INVALID',
    `Expected a BCP 47 language tag such as "en", got ${JSON.stringify(language.slice(0, 100))}`,
    path,
  );
}
