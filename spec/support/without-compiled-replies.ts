/** Stands in for `lib/resource/compiled-reply/compile.ts` where the suite is run without it: zod says everything. */
export function checkOf(): () => undefined {
  return () => undefined
}
