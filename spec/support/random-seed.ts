const { FUZZ_SEED } = process.env

/** `FUZZ_SEED=…` makes every random test repeat the cases of that seed. */
if (FUZZ_SEED !== undefined) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(FUZZ_SEED) })
}
