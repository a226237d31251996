dnl Finds an interpreter for the commands, before AM_PATH_PYTHON takes the first
dnl one: with pyenv or conda first in PATH that lacks what the distribution's
dnl packages bring, which the commands then would not find.

dnl VP_PYTHON_WITH(MINIMUM, MODULES...)
dnl Sets PYTHON, unless the user has, to the path of a Python of at least
dnl MINIMUM (3, 9) that has all of one of MODULES, the best first: of those in
dnl PATH, and /usr/bin/python3.  If none has any, the latter if it is new
dnl enough.  A path with a blank cannot stand in the first line of a script.
AC_DEFUN([VP_PYTHON_WITH], [
AS_IF([test -z "$PYTHON"], [
	AC_MSG_CHECKING([for a Python with the libraries of the commands])
	vp_pythons=
	vp_IFS=$IFS
	IFS=:
	for vp_folder in $PATH:/usr/bin; do
		AS_IF([test -x "$vp_folder/python3"],
			[vp_pythons=$vp_pythons:$vp_folder/python3])
	done
	for vp_modules in $2 "sys"; do
		for vp_python in $vp_pythons; do
			AS_IF([test "$vp_modules" = sys],
				[vp_python=/usr/bin/python3])
			PYTHON=`"$vp_python" -c "import $vp_modules, sys
if sys.version_info >= $1 and ' ' not in sys.executable:
    print(sys.executable)" 2>/dev/null </dev/null`
			AS_IF([test -n "$PYTHON"], [break 2])
		done
	done
	IFS=$vp_IFS
	AC_MSG_RESULT([${PYTHON:-none}])
])
])
