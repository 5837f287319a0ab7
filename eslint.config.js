// ESLint 10 reads flat configuration only: this bridge loads the rules, which stand in .eslintrc.json.
import { readFileSync } from 'node:fs'
import { FlatCompat } from '@eslint/eslintrc'
import js from '@eslint/js'

const { ignorePatterns, ...config } = JSON.parse(readFileSync(new URL('.eslintrc.json', import.meta.url), 'utf8'))
const compat = new FlatCompat({ baseDirectory: import.meta.dirname, recommendedConfig: js.configs.recommended,
  allConfig: js.configs.all })

export default [{ ignores: ignorePatterns.map((pattern) => `**/${pattern}`) }, ...compat.config(config)]
