/**
 * The URL of a compiled module beside the caller, for a worker thread or a child process: those run
 * JavaScript only, also when the caller itself was loaded from TypeScript (as the tests do).
 */
export function compiledUrl(relative: string, callerUrl: string): URL {
  const url = new URL(relative, callerUrl);
  if (callerUrl.endsWith('.ts')) url.pathname = url.pathname.replace(/\/src\/(?!.*\/src\/)/, '/dist/src/');
  return url;
}
