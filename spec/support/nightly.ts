/** True in `.ci/nightly`, which runs all cases of a matrix; `.ci/run` runs some of each. */
export const isNightly = process.env.NIGHTLY === 'true'
