import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { vetUrl, type LocalPolicy } from '../../base/outbound/addresses';
import { fetchFile, FetchFileError } from '../../base/outbound/fetch-file';
import { readImage, type LogoImage } from './logo-image';

const TIMEOUT_MS = 5_000;
const FIELD = 'brand.logo_url';

export interface Logo {
  /** Null if it was uploaded. */
  url: string | null;
  type: LogoImage['type'];
  data: Buffer;
}

/** The logo that a request has as its body. */
export function uploadedLogo(data: Buffer): Logo {
  return checkedLogo(data, { url: null, field: 'body' });
}

/**
 * Fetches a project's logo once, when it is set. Herald serves its own copy: a login page must not make its users'
 * browsers call another server, and the image must not change after this check.
 */
export async function fetchLogo(url: string, policy: LocalPolicy): Promise<Logo> {
  const vetted = vetUrl(url, policy);
  if (!vetted.ok) throw new AppError('invalid_url', `${FIELD}: ${vetted.why}`);
  const data = await fetchFile(vetted.url, {
    maxBytes: limits.logoBytes,
    timeoutMs: TIMEOUT_MS,
    policy,
  }).catch((error: unknown) => {
    throw error instanceof FetchFileError ? refusal(error) : error;
  });
  return checkedLogo(data, { url, field: FIELD });
}

function checkedLogo(data: Buffer, { url, field }: { url: string | null; field: string }): Logo {
  const image = readImage(data);
  if (!image) throw invalid(field, 'must be a JPEG, PNG or WebP image');
  // A small file can hold a picture that takes gigabytes in the browser.
  if (Math.min(image.width, image.height) < 1 || Math.max(image.width, image.height) > limits.logoPixels) {
    throw invalid(field, `the image can have up to ${limits.logoPixels} × ${limits.logoPixels} pixels`);
  }
  return { url, type: image.type, data };
}

function refusal(error: FetchFileError): AppError {
  if (error.reason === 'too_large') {
    return invalid(FIELD, `the image can have up to ${limits.logoBytes / 1024} KiB`);
  }
  return new AppError('invalid_url', `${FIELD}: ${error.message}`);
}

function invalid(field: string, why: string): AppError {
  return new AppError('validation_failed', `${field}: ${why}`);
}
