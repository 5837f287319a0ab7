import { describePreparation } from '../blog/preparation.js'
import { useServer } from '../support/blog.js'
import { scratchMariadb } from '../support/databases.js'
import '../blog/dux.spec.js'
import '../blog/matrix.spec.js'
import '../blog/nasty.spec.js'
import '../blog/orders.spec.js'
import '../blog/posts.spec.js'
import '../blog/sign-in.spec.js'
import '../blog/users-export.spec.js'
import '../blog/users.spec.js'

useServer(scratchMariadb)
describePreparation(scratchMariadb)
