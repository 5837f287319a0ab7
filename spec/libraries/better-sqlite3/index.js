module.exports = require('libsql')
